// A child process that runs tasks, by messages in Node's default form: JSON.
import run, { type Task } from './work.js';

process.on('message', ({ id, task }: { id: number; task: Task }) => {
  process.send?.({ id, result: run(task) });
});
