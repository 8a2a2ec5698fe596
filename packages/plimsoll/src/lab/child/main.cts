// The entry of every process that counts its pool threads; its argument is the URL of the module that serves the job.
import aroundFirstUse = require('./first-use.cjs');

aroundFirstUse((before, after) => {
  void import(process.argv[2] as string).then(({ serve }) => serve(before, after));
});
