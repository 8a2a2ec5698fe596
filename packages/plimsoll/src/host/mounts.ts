/** The mount table of a process: /proc/PID/mountinfo, described in proc_pid_mountinfo(5). */

export interface Mount {
  /** The part of the file system that is mounted, `/` for all of it. */
  root: string;
  mountPoint: string;
  fsType: string;
  /** Options of the file system itself; a cgroup v1 mount lists its controllers here. */
  superOptions: string[];
}

/** Mounts in the order of mounting: a later one hides an earlier one. Lines of another form are skipped. */
export const parseMountinfo = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    // A lone hyphen ends the optional fields, of which there may be none or many.
    const [, before = '', after = ''] = /^(.*?) - (.*)$/s.exec(line) ?? [];
    const [, , , root, mountPoint] = before.split(' ');
    const [fsType, , options] = after.split(' ');
    if (root === undefined || mountPoint === undefined || !fsType) return [];
    const superOptions = options?.split(',') ?? [];
    return [{ root: decodeOctal(root), mountPoint: decodeOctal(mountPoint), fsType, superOptions }];
  });

/** Undoes the kernel's escapes: it writes space, tab, newline and backslash as `\040`, `\011`, `\012` and `\134`. */
export const decodeOctal = (text: string): string =>
  text.replace(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
