import record = require('./record.cjs');

const { KIND, CAUSE } = record;

type Kind = (typeof KIND)[keyof typeof KIND];
type Cause = (typeof CAUSE)[keyof typeof CAUSE];

/** Resources whose jobs go to the pool, by Node's names for them. */
const POOL: Readonly<Record<string, Kind>> = {
  FSREQCALLBACK: KIND.fs,
  FSREQPROMISE: KIND.fs,
  FILEHANDLECLOSEREQ: KIND.fs,
  GETADDRINFOREQWRAP: KIND.dns,
  GETNAMEINFOREQWRAP: KIND.dns,
  ARGON2REQUEST: KIND.crypto,
  CHECKPRIMEREQUEST: KIND.crypto,
  CIPHERREQUEST: KIND.crypto,
  DERIVEBITSREQUEST: KIND.crypto,
  HASHREQUEST: KIND.crypto,
  KEMREQUEST: KIND.crypto,
  KEYEXPORTREQUEST: KIND.crypto,
  KEYGENREQUEST: KIND.crypto,
  KEYPAIRGENREQUEST: KIND.crypto,
  PBKDF2REQUEST: KIND.crypto,
  RANDOMBYTESREQUEST: KIND.crypto,
  RANDOMPRIMEREQUEST: KIND.crypto,
  SCRYPTREQUEST: KIND.crypto,
  SIGNREQUEST: KIND.crypto,
  VERIFYREQUEST: KIND.crypto,
  ZLIB: KIND.zlib,
};

/** Resources whose callbacks the event loop runs for another reason than a job. */
const LOOP: Readonly<Record<string, Cause>> = {
  Timeout: CAUSE.timer,
  TIMERWRAP: CAUSE.timer,
  Immediate: CAUSE.immediate,
};

const SOCKETS =
  /^(TCP|PIPE|UDP|TTY|TLS|HTTP|HTTPINCOMINGMESSAGE|HTTPCLIENTREQUEST|HTTP2|WRITEWRAP|SHUTDOWNWRAP|QUERYWRAP|JSSTREAM|JSUDPWRAP|STREAMPIPE|QUIC|BLOB|LIBUVSTREAMWRAP)/;

/** Nothing of these runs by itself in a turn of the event loop of its own, or it is of no interest what does. */
const SILENT = new Set([
  ...['PROMISE', 'TickObject', 'Microtask', 'DNSCHANNEL', 'FILEHANDLE', 'DIRHANDLE', 'SECURECONTEXT'],
  ...['X509CERTIFICATE', 'SIGINTWATCHDOG', 'WORKERHEAPSNAPSHOT', 'HEAPSNAPSHOT', 'INSPECTORJSBINDING'],
  ...['RANDOMUUID', 'CONTEXTIFYSCRIPT', 'ELDHISTOGRAM', 'PERFORMANCEOBSERVER', 'BLOBREADER'],
]);

const OTHERS =
  /^(MESSAGEPORT|WORKER|PROCESSWRAP|FSEVENTWRAP|STATWATCHER|SIGNALWRAP|FSREQ.*|CHECK|PREPARE|IDLE)/;

/** What a resource is: of the pool, something that the event loop calls, maybe the work of an add-on, or nothing of interest. */
type Role =
  | { readonly is: 'job'; readonly kind: Kind }
  | { readonly is: 'task'; readonly cause: Cause }
  | { readonly is: 'unknown' }
  | { readonly is: 'silent' };

const SILENT_ROLE: Role = { is: 'silent' };

function find(type: string): Role {
  const kind = POOL[type];
  if (kind !== undefined) return { is: 'job', kind };
  const cause = LOOP[type];
  if (cause !== undefined) return { is: 'task', cause };
  if (SILENT.has(type)) return SILENT_ROLE;
  if (SOCKETS.test(type)) return { is: 'task', cause: CAUSE.socket };
  if (OTHERS.test(type)) return { is: 'task', cause: CAUSE.other };
  return { is: 'unknown' };
}

/** Types of resources that are remembered; a program can make up any number of them. */
const MOST_TYPES = 1000;
const roles = new Map<string, Role>();

function roleOf(type: string): Role {
  const known = roles.get(type);
  if (known !== undefined) return known;
  const role = find(type);
  if (roles.size < MOST_TYPES) roles.set(type, role);
  return role;
}

/** Trace events' names of the functions of Node's fs binding; what is not among these is told of by events of another category. */
const FS_CALLS: Readonly<Record<string, string>> = {
  access: 'access',
  chmod: 'chmod',
  chown: 'chown',
  close: 'close',
  copyFile: 'copyfile',
  fchmod: 'fchmod',
  fchown: 'fchown',
  fdatasync: 'fdatasync',
  fstat: 'fstat',
  fsync: 'fsync',
  ftruncate: 'ftruncate',
  futimes: 'futime',
  lchown: 'lchown',
  link: 'link',
  lstat: 'lstat',
  lutimes: 'lutime',
  mkdir: 'mkdir',
  mkdtemp: 'mkdtemp',
  open: 'open',
  openFileHandle: 'open',
  read: 'read',
  readBuffers: 'read',
  readdir: 'scandir',
  readlink: 'readlink',
  realpath: 'realpath',
  rename: 'rename',
  rmdir: 'rmdir',
  stat: 'stat',
  statfs: 'statfs',
  symlink: 'symlink',
  unlink: 'unlink',
  utimes: 'utime',
  writeBuffer: 'write',
  writeBuffers: 'write',
  writeString: 'write',
};

export = { roleOf, FS_CALLS };
