import { copyButtons } from './copy.js';
import { download } from './download.js';
import { sortableTables } from './sort.js';
import { timelines } from './zoom.js';

// The page is complete without this script: it only adds.
sortableTables();
copyButtons();
download();
timelines();
