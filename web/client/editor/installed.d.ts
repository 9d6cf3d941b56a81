// Types for a checkout that has not installed the packages of the editor yet (`npm ci`). The types
// of installed packages win.
declare module '@codemirror/*'
declare module '@lezer/*'
