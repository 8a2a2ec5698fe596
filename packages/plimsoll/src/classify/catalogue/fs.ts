import fs, { constants } from 'node:fs';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { callback, type Entry, type EntryContext, entries } from './entry.js';

const POOL =
  'epoll and kqueue cannot wait for files, so libuv makes the blocking system calls on a pool thread.';
const SYNC = 'The system calls are made on the calling thread, and the event loop stands still meanwhile.';

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

export const fsEntries: readonly Entry[] = entries(
  'fs.',
  { pool: POOL, 'main thread': SYNC },
  {
    'access(path, callback)': ({ file }) => promisify(fs.access)(file()),
    'appendFile(path, data, callback)': ({ file }) => promisify(fs.appendFile)(file(), 'x'),
    'chmod(path, mode, callback)': ({ file }) => promisify(fs.chmod)(file(), 0o600),
    'copyFile(from, to, callback)': ({ file, path }) => promisify(fs.copyFile)(file(), path()),
    'cp(from, to, callback)': ({ file, path }) => callback((done) => fs.cp(file(), path(), done)),
    'exists(path, callback)': ({ file }) => callback((done) => fs.exists(file(), () => done())),
    'fstat(fd, callback)': ({ file }) => withOpen(file(), (opened, done) => fs.fstat(opened, done)),
    'fsync(fd, callback)': ({ file }) => withOpen(file(), (opened, done) => fs.fsync(opened, done)),
    'glob(pattern, callback)': {
      run: ({ folder }) => callback((done) => glob?.('*', { cwd: folder() }, done)),
      available: () => glob !== undefined,
    },
    'link(from, to, callback)': ({ file, path }) => promisify(fs.link)(file(), path()),
    'lstat(path, callback)': ({ file }) => promisify(fs.lstat)(file()),
    'mkdir(path, callback)': ({ path }) => promisify(fs.mkdir)(path()),
    'mkdtemp(prefix, callback)': ({ path }) => promisify(fs.mkdtemp)(path()),
    'open(path, callback)': async ({ file }) =>
      fs.closeSync(await promisify(fs.open)(file(), constants.O_RDONLY)),
    'opendir(path, callback)': async ({ folder }) => (await promisify(fs.opendir)(folder())).closeSync(),
    'read(fd, callback)': ({ file }) =>
      withOpen(file(), (opened, done) => fs.read(opened, Buffer.alloc(1), 0, 1, 0, done)),
    'readFile(path, callback)': ({ file }) => promisify(fs.readFile)(file()),
    'readdir(path, callback)': ({ folder }) => promisify(fs.readdir)(folder()),
    'readlink(path, callback)'({ path }) {
      const link = path();
      fs.symlinkSync('nowhere', link);
      return promisify(fs.readlink)(link);
    },
    'realpath(path, callback)': ({ file }) => promisify(fs.realpath)(file()),
    'realpath.native(path, callback)': ({ file }) => callback((done) => fs.realpath.native(file(), done)),
    'rename(from, to, callback)': ({ file, path }) => promisify(fs.rename)(file(), path()),
    'rm(path, callback)': ({ file }) => promisify(fs.rm)(file()),
    'rmdir(path, callback)': ({ folder }) => promisify(fs.rmdir)(folder()),
    'stat(path, callback)': ({ file }) => promisify(fs.stat)(file()),
    'statfs(path, callback)': ({ file }) => callback((done) => fs.statfs(file(), done)),
    'symlink(target, path, callback)': ({ path }) => promisify(fs.symlink)('nowhere', path()),
    'truncate(path, callback)': ({ file }) => promisify(fs.truncate)(file()),
    'unlink(path, callback)': ({ file }) => promisify(fs.unlink)(file()),
    'utimes(path, atime, mtime, callback)': ({ file }) => promisify(fs.utimes)(file(), 1, 1),
    'write(fd, data, callback)': ({ file }) =>
      withOpen(file(), (opened, done) => fs.write(opened, 'x', done)),
    'writeFile(path, data, callback)': ({ file }) => promisify(fs.writeFile)(file(), 'x'),
    'createReadStream(path)': ({ file }) => finished(fs.createReadStream(file()).resume()),
    'createWriteStream(path)': ({ path }) => finished(fs.createWriteStream(path()).end('x')),
    'openAsBlob(path), then its text()': async ({ file }) => (await fs.openAsBlob(file())).text(),
    async 'promises.open(path), then its read() and close()'({ file }) {
      const handle = await fs.promises.open(file());
      await handle.read();
      await handle.close();
    },
    'promises.readFile(path)': ({ file }) => fs.promises.readFile(file()),
    'promises.readdir(path)': ({ folder }) => fs.promises.readdir(folder()),
    'promises.stat(path)': ({ file }) => fs.promises.stat(file()),
    'promises.writeFile(path, data)': ({ file }) => fs.promises.writeFile(file(), 'x'),
    'watch(path)': {
      run: watch,
      why: {
        kernel:
          'inotify, kqueue or ReadDirectoryChangesW tells the event loop; nothing has to wait on a thread.',
      },
    },
    'watchFile(path, listener)': {
      run: watchFile,
      why: { pool: 'It is no watcher: at every interval libuv calls stat(2) on a pool thread and compares.' },
      alternative: 'fs.watch, where its events are enough',
    },
    'readFileSync(path)': {
      run: ({ file }) => void fs.readFileSync(file()),
      alternative: 'fs.promises.readFile, which waits for a pool thread instead',
    },
    'statSync(path)': ({ file }) => void fs.statSync(file()),
  },
);
