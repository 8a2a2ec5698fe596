module.exports = (source) => source;
