import { copyButtons } from './copy.js';
import { sortableTables } from './sort.js';

// The page is complete without this script: it only adds.
sortableTables();
copyButtons();
