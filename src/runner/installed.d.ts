// Programs that the executable brings along (`assets/sandbox`), as paths of files.
declare module '*.bin' {
  const path: string
  export default path
}
