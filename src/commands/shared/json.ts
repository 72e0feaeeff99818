/**
 * JSON that says the same to a program and nothing more to a model that reads it: brackets, controls and invisible
 * characters of peer text are escaped, so that no tag, no terminal sequence and no hidden text stands in it.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[<>\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Co}\p{Noncharacter_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu,
    escapeUnits,
  );
}

function escapeUnits(character: string): string {
  let out = '';
  for (let i = 0; i < character.length; i++) out += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return out;
}
