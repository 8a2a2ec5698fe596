// Prints the environment as the Node that runs it sees it: with --node, not the one that runs the experiment.
import { tmpdir } from 'node:os';
import { captureEnvironment } from '@plimsoll/lab';

console.log(JSON.stringify(captureEnvironment({ directory: tmpdir() })));
