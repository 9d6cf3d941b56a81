// The compiler asks for the runtime by a name without an extension; the import map of package.json
// gives paths that have one. Bun finds the file either way, TypeScript needs to be told.
declare module '#web/jsx/jsx-runtime' {
  export * from '#web/jsx/jsx-runtime.ts'
}
declare module '#web/jsx/jsx-dev-runtime' {
  export * from '#web/jsx/jsx-dev-runtime.ts'
}
