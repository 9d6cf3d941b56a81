// Some packages add internal details to errors unless NODE_ENV is `production`. They read it when
// they are first imported, so main.ts imports this file first.
process.env['NODE_' + 'ENV'] ??= 'production'
