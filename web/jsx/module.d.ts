// The compiler imports the runtime without a file extension, while the import map of package.json
// has paths with one. Bun resolves both; TypeScript needs these declarations.
declare module '#web/jsx/jsx-runtime' {
  export * from '#web/jsx/jsx-runtime.ts'
}
declare module '#web/jsx/jsx-dev-runtime' {
  export * from '#web/jsx/jsx-dev-runtime.ts'
}
