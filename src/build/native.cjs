// Stands in for libsql's platform look-up in the hook's bundle: the original asks process.report and a child process
// which C library this is (10 ms); a glance at the loader's file tells as well.
const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');

const MUSL_LOADERS = {
  x64: '/lib/ld-musl-x86_64.so.1',
  arm64: '/lib/ld-musl-aarch64.so.1',
  arm: '/lib/ld-musl-armhf.so.1',
};
const OTHERS = { darwin: '', win32: '-msvc' };

function target() {
  const { platform, arch } = process;
  if (platform !== 'linux') return `${platform}-${arch}${OTHERS[platform] ?? ''}`;
  const musl = existsSync(MUSL_LOADERS[arch] ?? '');
  if (arch === 'arm') return musl ? 'linux-arm-musleabihf' : 'linux-arm-gnueabihf';
  return `linux-${arch}-${musl ? 'musl' : 'gnu'}`;
}

/** The native library of the installed libsql, found from libsql itself (package managers may nest it there). */
exports.nativeLibsql = () => {
  const here = createRequire(__filename);
  return createRequire(here.resolve('libsql'))(`@libsql/${target()}`);
};
