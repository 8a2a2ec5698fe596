import './slow-load.js';
import './workerpool.js';
