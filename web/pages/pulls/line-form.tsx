// The comment form below a line of a change.
import type { PullChanges } from '#features/pulls/index.ts'
import { Button, diffAnchor, Field, Form, FormActions, TextArea } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { parseLocation } from '../code/change-parts.ts'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { t } from '../../text.ts'

export type LinePosition = { path: string; side: 'old' | 'new'; line: number }

/** The id of a line on the page of changes, and the end of the ids of what belongs to it. */
export const lineKey = ({ path, side, line }: LinePosition): string =>
  `${diffAnchor(path)}${side === 'old' ? 'L' : 'R'}${line}`

/** The id of the form below a line. */
const lineFormId = (place: LinePosition): string => `comment-${lineKey(place)}`

/** What is said for the button that adds a suggestion, and the field that it sends. */
export const SUGGEST = 'suggest'

/** The line that a refused form is about. */
export function refusedLine({ form: { values } }: Visit): LinePosition | null {
  const line = Number(values.text('line'))
  const path = values.text('path')
  return path !== '' && Number.isInteger(line) && line > 0
    ? { path, line, side: values.text('side') === 'old' ? 'old' : 'new' }
    : null
}

/** The line for which the address asks for a form (`on`), among those of the files. */
export function requestedLine(
  visit: Visit,
  files: readonly Pick<PullChanges['files'][number], 'path'>[],
): LinePosition | null {
  const location = parseLocation(visit.url.searchParams.get('on') ?? '')
  const file = files.find(({ path }) => diffAnchor(path) === location?.anchor)
  if (!file || !location?.line) return refusedLine(visit)
  const side = location.line.startsWith('L') ? ('old' as const) : ('new' as const)
  return { path: file.path, side, line: Number(location.line.slice(1)) }
}

/** The lines of the new version from `start` on. Null when the change does not have them all. */
function textOf(
  files: readonly PullChanges['files'][number][],
  { path, line }: LinePosition,
  start: number,
): string | null {
  const lines = new Map(
    files
      .find((file) => file.path === path)
      ?.hunks.flatMap((hunk) => hunk.lines)
      .map((one) => [one.new, one.text]),
  )
  const texts: string[] = []
  for (let at = start; at <= line; at++) {
    const text = lines.get(at)
    if (text === undefined) return null
    texts.push(text)
  }
  return texts.length === 0 ? null : texts.join('\n')
}

/** A text with a suggestion after it. Nothing that was typed is lost. */
const withSuggestion = (typed: string, text: string): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const before = typed.trim() === '' ? '' : `${typed.trimEnd()}\n\n`
  return `${before}${fence}suggestion\n${text}\n${fence}\n`
}

const LineFormActions = ({ here, ownPull }: { here: string; ownPull: boolean }) => (
  <FormActions>
    {!ownPull && (
      <Button variant="primary" name="then" value="draft">
        {t('Add to review')}
      </Button>
    )}
    <Button variant={ownPull ? 'primary' : 'plain'} name="then" value="now">
      {t('Comment now')}
    </Button>
    <a href={here} data-cancel-comment>
      {t('Cancel')}
    </a>
  </FormActions>
)

interface LineFormProps {
  place: LinePosition
  visit: Visit
  repo: string
  number: number
  files: readonly PullChanges['files'][number][]
  /** The address of the page without the form. */
  here: string
  /** The pull request is the visitor's own, which they cannot review. */
  ownPull: boolean
}

/** The typed text, with a suggestion when the button for it was pressed. */
function startOf({ place, files }: LineFormProps, at: Visit, firstLine: number) {
  const text = place.side === 'new' ? textOf(files, place, firstLine) : null
  const typed = at.form.values.text('body')
  const asked = at.form.values.text('then') === SUGGEST && text !== null
  return { text, value: asked ? withSuggestion(typed, text) : typed }
}

export const LineForm = (props: LineFormProps) => {
  const { place, visit, repo, number, here, ownPull } = props
  const action = `${pullPath(repo, number)}/lines`
  const at = visitForForm(visit, action)
  const start = at.form.values.has('start_line')
    ? at.form.values.text('start_line')
    : (visit.url.searchParams.get('start') ?? '')
  const firstLine = Math.min(place.line, Number(start) || place.line)
  const { text, value } = startOf(props, at, firstLine)
  const key = lineKey(place)
  return (
    <div id={lineFormId(place)} class="line-form">
      <Form
        action={action}
        csrf={visit.csrf}
        label={t('Comment on line {line} of {path}', place)}
        error={formError(at, 'body', 'start_line', 'line', SUGGEST)}
      >
        <input type="hidden" name="path" value={place.path} />
        <input type="hidden" name="line" value={String(place.line)} />
        <input type="hidden" name="side" value={place.side} />
        <input type="hidden" name="back" value={here} />
        <TextArea
          name="body"
          id={`body-${key}`}
          label={
            firstLine < place.line
              ? t('Comment on lines {firstLine} to {line}', { firstLine, line: place.line })
              : t('Comment on line {line}', { line: place.line })
          }
          required
          rows={5}
          autofocus
          markdown={repo}
          value={value}
          error={fieldError(at, 'body') ?? fieldError(at, 'line')}
        />
        {text !== null && (
          <p>
            <Button small icon="edit" name="then" value={SUGGEST} formnovalidate>
              {t('Add a suggestion')}
            </Button>
          </p>
        )}
        <Field
          name="start_line"
          id={`start-${key}`}
          label={t('First line')}
          type="number"
          min={1}
          max={place.line}
          hint={t('To comment on several lines. The last one is line {line}.', place)}
          value={start}
          error={fieldError(at, 'start_line')}
        />
        <LineFormActions here={here} ownPull={ownPull} />
      </Form>
    </div>
  )
}
