// Types for a checkout that has not installed the packages of the editor yet (`npm ci`). The types
// of installed packages win.
declare module '@codemirror/*' {
  type Anything = ReturnType<typeof JSON.parse>
  export type Extension = unknown
  export type StreamParser<T> = { state?: T }
  export type ViewUpdate = Anything
  export const Compartment: Anything
  export const EditorState: Anything
  export const EditorView: Anything
  export const HighlightStyle: Anything
  export const StreamLanguage: Anything
  export const bracketMatching: Anything
  export const cpp: Anything
  export const csharp: Anything
  export const css: Anything
  export const defaultKeymap: Anything
  export const diff: Anything
  export const dockerFile: Anything
  export const drawSelection: Anything
  export const go: Anything
  export const haskell: Anything
  export const highlightActiveLine: Anything
  export const highlightActiveLineGutter: Anything
  export const highlightSelectionMatches: Anything
  export const highlightSpecialChars: Anything
  export const history: Anything
  export const historyKeymap: Anything
  export const html: Anything
  export const indentOnInput: Anything
  export const indentUnit: Anything
  export const indentWithTab: Anything
  export const java: Anything
  export const javascript: Anything
  export const json: Anything
  export const keymap: Anything
  export const kotlin: Anything
  export const lineNumbers: Anything
  export const lua: Anything
  export const markdown: Anything
  export const perl: Anything
  export const php: Anything
  export const powerShell: Anything
  export const properties: Anything
  export const protobuf: Anything
  export const python: Anything
  export const r: Anything
  export const ruby: Anything
  export const rust: Anything
  export const scala: Anything
  export const search: Anything
  export const searchKeymap: Anything
  export const shell: Anything
  export const sql: Anything
  export const swift: Anything
  export const syntaxHighlighting: Anything
  export const toml: Anything
  export const xml: Anything
  export const yaml: Anything
}
declare module '@lezer/*'
