import type { Highlight } from '#features/search/index.ts'

/** A text with what was found in it. */
export const Marked = ({ parts }: { parts: Highlight }) => (
  <>{parts.map(({ text, match }) => (match ? <mark>{text}</mark> : text))}</>
)

/** Whether anything in it was found. */
export const hasMatch = (parts: Highlight): boolean => parts.some(({ match }) => match)
