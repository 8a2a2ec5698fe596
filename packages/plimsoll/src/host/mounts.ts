/** The mount table of a process: /proc/PID/mountinfo, described in proc_pid_mountinfo(5). */

export interface Mount {
  /** The part of the file system that is mounted, `/` for all of it. */
  root: string;
  mountPoint: string;
  fsType: string;
  /** Options of the file system itself; a cgroup v1 mount lists its controllers here. */
  superOptions: string[];
}

/**
 * Parses mountinfo. Lines of another form are skipped.
 *
 * @param text the file's text
 * @returns mounts in the order of the file, which is the order of mounting: a later one hides an earlier one
 * @example
 * parseMountinfo('27 1 254:0 / / rw - ext4 /dev/vda rw\n')[0]?.fsType; // 'ext4'
 */
export function parseMountinfo(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    const mount = parseLine(line);
    if (mount !== null) mounts.push(mount);
  }
  return mounts;
}

function parseLine(line: string): Mount | null {
  // A lone hyphen ends the optional fields, of which there may be none or many.
  const [before, after] = splitOnce(line, ' - ');
  const [, , , root, mountPoint] = before.split(' ');
  const [fsType, , superOptions] = after.split(' ');
  if (root === undefined || mountPoint === undefined || !fsType) return null;
  return {
    root: decodeOctal(root),
    mountPoint: decodeOctal(mountPoint),
    fsType,
    superOptions: superOptions?.split(',') ?? [],
  };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/**
 * Undoes the kernel's escapes: it writes space, tab, newline and backslash as `\040`, `\011`, `\012` and `\134`.
 *
 * @example
 * decodeOctal('/mnt/my\\040disk'); // '/mnt/my disk'
 */
export function decodeOctal(text: string): string {
  return text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
