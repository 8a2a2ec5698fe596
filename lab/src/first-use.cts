import aroundFirstUse = require('../../packages/plimsoll/dist/lab/child/first-use.cjs');

export = aroundFirstUse;
