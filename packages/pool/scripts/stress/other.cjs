'use strict';
// A second worker file, of the other kind.
exports.echo = (given) => given;
exports.length = (given) => given.length;
