import fs, { constants } from 'node:fs';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { callback, type Entry, type EntryContext } from './entry.js';

const POOL =
  'epoll and kqueue cannot wait for files, so libuv makes the blocking system calls on a pool thread.';
const SYNC = 'The system calls are made on the calling thread, and the event loop stands still meanwhile.';

const entry = (name: string, call: string, run: Entry['run'], more: Partial<Entry> = {}): Entry => ({
  name: `fs.${name}`,
  call: `fs.${call}`,
  run,
  why: { pool: POOL, 'main thread': SYNC },
  ...more,
});

/** Change the file until it is noticed: a watcher may need a moment before it sees anything. */
async function watched(
  { file, meanwhile }: EntryContext,
  watch: (path: string, noticed: () => void) => () => void,
): Promise<void> {
  const path = file();
  let turn = 0;
  const rest = meanwhile(() => fs.writeFileSync(path, `change ${turn++}`));
  let unwatch = (): void => {};
  await new Promise<void>((resolve) => {
    unwatch = watch(path, resolve);
  });
  rest();
  unwatch();
}

const watch = (context: EntryContext): Promise<void> =>
  watched(context, (path, noticed) => {
    const watcher = fs.watch(path, noticed);
    return () => watcher.close();
  });

const watchFile = (context: EntryContext): Promise<void> =>
  watched(context, (path, noticed) => {
    fs.watchFile(path, { interval: 5 }, noticed);
    return () => fs.unwatchFile(path);
  });

type Glob = (pattern: string, options: object, done: (error?: unknown) => void) => void;
const glob = (fs as { glob?: Glob }).glob;

const withOpen = async (
  path: string,
  use: (file: number, done: (error?: unknown) => void) => void,
): Promise<unknown> => {
  const file = fs.openSync(path, 'r+');
  return callback((done) => use(file, done)).finally(() => fs.closeSync(file));
};

export const fsEntries: readonly Entry[] = [
  entry('access', 'access(path, callback)', ({ file }) => promisify(fs.access)(file())),
  entry('appendFile', 'appendFile(path, data, callback)', ({ file }) =>
    promisify(fs.appendFile)(file(), 'x'),
  ),
  entry('chmod', 'chmod(path, mode, callback)', ({ file }) => promisify(fs.chmod)(file(), 0o600)),
  entry('copyFile', 'copyFile(from, to, callback)', ({ file, path }) =>
    promisify(fs.copyFile)(file(), path()),
  ),
  entry('cp', 'cp(from, to, callback)', ({ file, path }) => callback((done) => fs.cp(file(), path(), done))),
  entry('exists', 'exists(path, callback)', ({ file }) =>
    callback((done) => fs.exists(file(), () => done())),
  ),
  entry('fstat', 'fstat(fd, callback)', ({ file }) =>
    withOpen(file(), (opened, done) => fs.fstat(opened, done)),
  ),
  entry('fsync', 'fsync(fd, callback)', ({ file }) =>
    withOpen(file(), (opened, done) => fs.fsync(opened, done)),
  ),
  entry(
    'glob',
    'glob(pattern, callback)',
    ({ folder }) => callback((done) => glob?.('*', { cwd: folder() }, done)),
    { available: () => glob !== undefined },
  ),
  entry('link', 'link(from, to, callback)', ({ file, path }) => promisify(fs.link)(file(), path())),
  entry('lstat', 'lstat(path, callback)', ({ file }) => promisify(fs.lstat)(file())),
  entry('mkdir', 'mkdir(path, callback)', ({ path }) => promisify(fs.mkdir)(path())),
  entry('mkdtemp', 'mkdtemp(prefix, callback)', ({ path }) => promisify(fs.mkdtemp)(path())),
  entry('open', 'open(path, callback)', async ({ file }) =>
    fs.closeSync(await promisify(fs.open)(file(), constants.O_RDONLY)),
  ),
  entry('opendir', 'opendir(path, callback)', async ({ folder }) => {
    const directory = await promisify(fs.opendir)(folder());
    directory.closeSync();
  }),
  entry('read', 'read(fd, callback)', ({ file }) =>
    withOpen(file(), (opened, done) => fs.read(opened, Buffer.alloc(1), 0, 1, 0, done)),
  ),
  entry('readFile', 'readFile(path, callback)', ({ file }) => promisify(fs.readFile)(file())),
  entry('readdir', 'readdir(path, callback)', ({ folder }) => promisify(fs.readdir)(folder())),
  entry('readlink', 'readlink(path, callback)', ({ path }) => {
    const link = path();
    fs.symlinkSync('nowhere', link);
    return promisify(fs.readlink)(link);
  }),
  entry('realpath', 'realpath(path, callback)', ({ file }) => promisify(fs.realpath)(file())),
  entry('realpath.native', 'realpath.native(path, callback)', ({ file }) =>
    callback((done) => fs.realpath.native(file(), done)),
  ),
  entry('rename', 'rename(from, to, callback)', ({ file, path }) => promisify(fs.rename)(file(), path())),
  entry('rm', 'rm(path, callback)', ({ file }) => promisify(fs.rm)(file())),
  entry('rmdir', 'rmdir(path, callback)', ({ folder }) => promisify(fs.rmdir)(folder())),
  entry('stat', 'stat(path, callback)', ({ file }) => promisify(fs.stat)(file())),
  entry('statfs', 'statfs(path, callback)', ({ file }) => callback((done) => fs.statfs(file(), done))),
  entry('symlink', 'symlink(target, path, callback)', ({ path }) => promisify(fs.symlink)('nowhere', path())),
  entry('truncate', 'truncate(path, callback)', ({ file }) => promisify(fs.truncate)(file())),
  entry('unlink', 'unlink(path, callback)', ({ file }) => promisify(fs.unlink)(file())),
  entry('utimes', 'utimes(path, atime, mtime, callback)', ({ file }) => promisify(fs.utimes)(file(), 1, 1)),
  entry('write', 'write(fd, data, callback)', ({ file }) =>
    withOpen(file(), (opened, done) => fs.write(opened, 'x', done)),
  ),
  entry('writeFile', 'writeFile(path, data, callback)', ({ file }) => promisify(fs.writeFile)(file(), 'x')),
  entry('createReadStream', 'createReadStream(path)', ({ file }) =>
    finished(fs.createReadStream(file()).resume()),
  ),
  entry('createWriteStream', 'createWriteStream(path)', ({ path }) =>
    finished(fs.createWriteStream(path()).end('x')),
  ),
  entry('openAsBlob', 'openAsBlob(path), then its text()', async ({ file }) =>
    (await fs.openAsBlob(file())).text(),
  ),
  entry('promises.open', 'promises.open(path), then its read() and close()', async ({ file }) => {
    const handle = await fs.promises.open(file());
    await handle.read();
    await handle.close();
  }),
  entry('promises.readFile', 'promises.readFile(path)', ({ file }) => fs.promises.readFile(file())),
  entry('promises.readdir', 'promises.readdir(path)', ({ folder }) => fs.promises.readdir(folder())),
  entry('promises.stat', 'promises.stat(path)', ({ file }) => fs.promises.stat(file())),
  entry('promises.writeFile', 'promises.writeFile(path, data)', ({ file }) =>
    fs.promises.writeFile(file(), 'x'),
  ),
  entry('watch', 'watch(path)', watch, {
    why: {
      kernel:
        'inotify, kqueue or ReadDirectoryChangesW tells the event loop; nothing has to wait on a thread.',
    },
  }),
  entry('watchFile', 'watchFile(path, listener)', watchFile, {
    why: { pool: 'It is no watcher: at every interval libuv calls stat(2) on a pool thread and compares.' },
    alternative: 'fs.watch, where its events are enough',
  }),
  entry('readFileSync', 'readFileSync(path)', ({ file }) => void fs.readFileSync(file()), {
    alternative: 'fs.promises.readFile, which waits for a pool thread instead',
  }),
  entry('statSync', 'statSync(path)', ({ file }) => void fs.statSync(file())),
];
