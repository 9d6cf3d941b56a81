import type { Child } from '../jsx/html.ts'

/** A paragraph that somebody wrote without Markdown: it keeps its lines, and is read in its own direction. */
export const WrittenText = ({ muted = false, children }: { muted?: boolean; children: Child }) => (
  <p class={muted ? 'written-text muted' : 'written-text'} dir="auto">
    {children}
  </p>
)
