/**
 * How many cases a property runs: 1,000 in `npm test`, more by PRETURN_CASES (`npm run test:deep`).
 *
 * @param share of the whole for properties whose single case is long, 0 to 1; never below 1,000 cases
 */
export function cases(share = 1): number {
  const asked = Number(process.env.PRETURN_CASES) || 1000;
  return Math.max(1000, Math.round(asked * share));
}
