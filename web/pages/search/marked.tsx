import type { Highlight } from '#features/search/index.ts'

/** A text with its matches marked. */
export const Marked = ({ parts }: { parts: Highlight }) => (
  <>{parts.map(({ text, match }) => (match ? <mark>{text}</mark> : text))}</>
)

/** Whether the text has a match. */
export const hasMatch = (parts: Highlight): boolean => parts.some(({ match }) => match)
