import type { Highlight } from '#features/search/index.ts'

/** Each is an element: a search for a letter would have one for every second character. */
const MAX_MARKS = 20

/** A text with its matches marked. */
export const Marked = ({ parts }: { parts: Highlight }) => {
  let marks = 0
  return (
    <>
      {parts.map(({ text, match }) => (match && marks++ < MAX_MARKS ? <mark>{text}</mark> : text))}
    </>
  )
}

/** Whether the text has a match. */
export const hasMatch = (parts: Highlight): boolean => parts.some(({ match }) => match)
