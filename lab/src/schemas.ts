/** Schemas of results. Apart from the rest: the library they are made of takes a third of the time that a command starts in. */

export { benchSchema, noiseSchema, verdictSchema } from '../../packages/plimsoll/dist/results/bench.js';
export { classificationSchema } from '../../packages/plimsoll/dist/results/classification.js';
export { environmentSchema } from '../../packages/plimsoll/dist/results/environment.js';
export { statementSchema } from '../../packages/plimsoll/dist/results/finding.js';
export { timelineSchema } from '../../packages/plimsoll/dist/results/timeline.js';
