// Preload: writes the names of the built-in modules that the process loaded, one a line, to $MODULE_LIST at its end.
process.on('exit', () => require('node:fs').writeFileSync(process.env.MODULE_LIST, process.moduleLoadList.join('\n')));
