// Some packages show more of themselves in errors unless they are told that this is production;
// they look once, when they are first imported, so this file comes before all others.
process.env['NODE_' + 'ENV'] ??= 'production'
