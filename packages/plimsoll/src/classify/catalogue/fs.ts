import fs from 'node:fs';
import { finished } from 'node:stream/promises';
import { callbacks, calls, type Entry, type EntryContext } from './entry.js';

const WHY = {
  pool: 'epoll and kqueue cannot wait for files, so libuv makes the blocking system calls on a pool thread.',
  'main thread': 'It makes the system calls on the calling thread and blocks the event loop meanwhile.',
};

/** Change the file until the watcher notices: it may need a moment before it sees anything. */
async function watched(
  { file, meanwhile }: EntryContext,
  watch: (path: string, noticed: () => void) => () => void,
): Promise<void> {
  const path = file();
  let turn = 0;
  const stopChanging = meanwhile(() => fs.writeFileSync(path, `change ${turn++}`));
  let unwatch = (): void => {};
  await new Promise<void>((resolve) => {
    unwatch = watch(path, resolve);
  });
  stopChanging();
  unwatch();
}

export const fsEntries: readonly Entry[] = [
  ...callbacks('fs.', fs, WHY, {
    'access(path)': ({ file }) => [file()],
    'appendFile(path, data)': ({ file }) => [file(), 'x'],
    'chmod(path, mode)': ({ file }) => [file(), 0o600],
    'copyFile(from, to)': ({ file, path }) => [file(), path()],
    'cp(from, to)': ({ file, path }) => [file(), path()],
    'exists(path)': ({ file }) => [file()],
    'fstat(fd)': ({ opened }) => [opened()],
    'fsync(fd)': ({ opened }) => [opened()],
    'glob(pattern)': ({ folder }) => ['*', { cwd: folder() }],
    'link(from, to)': ({ file, path }) => [file(), path()],
    'lstat(path)': ({ file }) => [file()],
    'mkdir(path)': ({ path }) => [path()],
    'mkdtemp(prefix)': ({ path }) => [path()],
    'open(path)': ({ file }) => [file()],
    'opendir(path)': ({ folder }) => [folder()],
    'read(fd)': ({ opened }) => [opened(), Buffer.alloc(1), 0, 1, 0],
    'readFile(path)': ({ file }) => [file()],
    'readdir(path)': ({ folder }) => [folder()],
    'readlink(path)'({ path }) {
      const link = path();
      fs.symlinkSync('nowhere', link);
      return [link];
    },
    'realpath(path)': ({ file }) => [file()],
    'realpath.native(path)': ({ file }) => [file()],
    'rename(from, to)': ({ file, path }) => [file(), path()],
    'rm(path)': ({ file }) => [file()],
    'rmdir(path)': ({ folder }) => [folder()],
    'stat(path)': ({ file }) => [file()],
    'statfs(path)': ({ file }) => [file()],
    'symlink(target, path)': ({ path }) => ['nowhere', path()],
    'truncate(path)': ({ file }) => [file()],
    'unlink(path)': ({ file }) => [file()],
    'utimes(path, atime, mtime)': ({ file }) => [file(), 1, 1],
    'write(fd, data)': ({ opened }) => [opened(), 'x'],
    'writeFile(path, data)': ({ file }) => [file(), 'x'],
  }),
  ...calls('fs.', WHY, {
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
      run: (context) =>
        watched(context, (path, noticed) => {
          const watcher = fs.watch(path, noticed);
          return () => watcher.close();
        }),
      why: {
        kernel: 'inotify, kqueue or ReadDirectoryChangesW notifies the event loop, so no thread has to wait.',
      },
    },
    'watchFile(path, listener)': {
      run: (context) =>
        watched(context, (path, noticed) => {
          fs.watchFile(path, { interval: 5 }, noticed);
          return () => fs.unwatchFile(path);
        }),
      why: {
        pool: 'It polls: at every interval libuv calls stat(2) on a pool thread and compares the results.',
      },
      alternative: 'fs.watch, where its events are enough',
    },
    'readFileSync(path)': {
      run: ({ file }) => void fs.readFileSync(file()),
      alternative: 'fs.promises.readFile, which runs on a pool thread instead',
    },
    'statSync(path)': ({ file }) => void fs.statSync(file()),
  }),
];
