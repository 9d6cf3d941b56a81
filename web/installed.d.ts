// Files of packages that have no types of their own.
declare module '@mermaid-js/tiny/dist/mermaid.tiny.js' {
  const path: string
  export default path
}
