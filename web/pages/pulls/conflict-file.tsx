// One file in the conflict editor: its merged lines in short, and every conflict with its choices.
import type { ConflictFile } from '#features/pulls/index.ts'
import { Badge, FieldSet, Icon, Radio } from '../../components/index.ts'
import { markBidiControls, UntrustedName } from '../../components/bidi-controls.tsx'
import { grammarOfPath, highlightLines, type Grammar } from '../../highlight.ts'
import { raw } from '../../jsx/html.ts'
import type { Fields } from '../../site.ts'
import { bothSides, choiceOf, fieldNames, type Conflict } from './conflict-text.ts'
import { t, tn } from '../../text.ts'

/** The names of the two branches. */
export type Sides = { head: string; base: string }

/** Merged lines that are shown before and after a conflict. */
const CONTEXT_LINES = 3
/** Longer texts are shown without highlighting. */
const MAX_HIGHLIGHTED = 32 * 1024

const Code = ({ text, grammar }: { text: string; grammar: Grammar | null }) => {
  const lines = highlightLines(text, text.length > MAX_HIGHLIGHTED ? null : grammar)
  return <code>{raw(markBidiControls(lines.join('\n')))}</code>
}

/** The position after `count` line ends from the start. */
function endOfLines(text: string, count: number): number {
  let at = 0
  for (let line = 0; line < count; line++) {
    const end = text.indexOf('\n', at)
    if (end === -1) return text.length
    at = end + 1
  }
  return at
}

/** The position where the last `count` lines begin. */
function startOfLastLines(text: string, count: number): number {
  let at = text.endsWith('\n') ? text.length - 1 : text.length
  for (let line = 0; line < count; line++) {
    const end = text.lastIndexOf('\n', at - 1)
    if (end === -1) return 0
    at = end
  }
  return at + 1
}

/** The merged lines next to a conflict. The others are left out. */
const Merged = ({
  text,
  grammar,
  isFirst,
  isLast,
}: {
  text: string
  grammar: Grammar | null
  isFirst: boolean
  isLast: boolean
}) => {
  const head = isFirst ? 0 : endOfLines(text, CONTEXT_LINES)
  const tail = isLast ? text.length : startOfLastLines(text, CONTEXT_LINES)
  const isWhole = head >= tail
  return (
    <pre class="conflict-merged">
      {isWhole ? (
        <Code text={text} grammar={grammar} />
      ) : (
        <>
          {head > 0 && <Code text={text.slice(0, head)} grammar={grammar} />}
          <span class="conflict-gap">⋯</span>
          {tail < text.length && <Code text={text.slice(tail)} grammar={grammar} />}
        </>
      )}
    </pre>
  )
}

const Side = ({
  title,
  text,
  grammar,
  side,
}: {
  title: string
  text: string
  grammar: Grammar | null
  side: 'head' | 'base' | 'ancestor'
}) => (
  <div class={`conflict-side conflict-${side}`}>
    <p class="small strong">{title}</p>
    {text === '' ? (
      <p class="muted small">{t('No lines')}</p>
    ) : (
      <pre tabindex="0" role="group" aria-label={title}>
        <Code text={text} grammar={grammar} />
      </pre>
    )}
  </div>
)

const Choices = ({
  name,
  conflict,
  sides,
  fields,
}: {
  name: string
  conflict: Conflict
  sides: Sides
  fields: Fields
}) => {
  const chosen = choiceOf(fields, name)
  const typed = fields.has(`text-${name}`)
    ? fields.text(`text-${name}`)
    : bothSides(conflict).replace(/\r?\n$/, '')
  const choice = (value: string, label: string) => (
    <Radio name={`take-${name}`} value={value} label={label} checked={chosen === value} required />
  )
  return (
    <div class="conflict-choices">
      <div class="choice-row">
        {choice('head', t('Use {side}', { side: sides.head }))}
        {choice('base', t('Use {side}', { side: sides.base }))}
        {choice('both', t('Use both'))}
        {choice('hand', t('Edit by hand'))}
      </div>
      <div class="conflict-hand">
        <label class="unseen" for={`text-${name}`}>
          {t('Lines in place of this conflict')}
        </label>
        <textarea
          class="input mono"
          id={`text-${name}`}
          name={`text-${name}`}
          rows={Math.min(20, typed.split('\n').length + 1)}
          spellcheck="false"
          data-autosize
        >
          {typed}
        </textarea>
      </div>
    </div>
  )
}

interface FileProps {
  file: ConflictFile
  sides: Sides
  fields: Fields
  mayEdit: boolean
}

const ConflictView = ({
  conflict,
  name,
  title,
  grammar,
  sides,
  fields,
  mayEdit,
}: Omit<FileProps, 'file'> & {
  conflict: Conflict
  name: string
  title: string
  grammar: Grammar | null
}) => (
  <fieldset class="conflict" id={name}>
    <legend class="small strong">{title}</legend>
    <div class="conflict-sides">
      <Side
        title={t('{head} (this pull request)', { head: sides.head })}
        text={conflict.head}
        grammar={grammar}
        side="head"
      />
      <Side title={sides.base} text={conflict.base} grammar={grammar} side="base" />
    </div>
    <details class="more">
      <summary>{t('Before both changes')}</summary>
      <Side
        title={t('Common ancestor')}
        text={conflict.ancestor}
        grammar={grammar}
        side="ancestor"
      />
    </details>
    {mayEdit && <Choices name={name} conflict={conflict} sides={sides} fields={fields} />}
  </fieldset>
)

/** A file of which one whole version is taken: no text, or deleted on one side. */
const WholeFile = ({ file, sides, fields, mayEdit }: FileProps) => {
  const { file: name } = fieldNames(file)
  const chosen = choiceOf(fields, name)
  const label = (side: 'head' | 'base'): string =>
    (side === 'head' ? file.in_head : file.in_base)
      ? t('Use the file of {sides}', { sides: sides[side] })
      : t('Delete it, as {sides} does', { sides: sides[side] })
  const why =
    file.in_head && file.in_base
      ? t('Both sides changed this file, and its lines cannot be shown.')
      : t('{one} deleted this file, {other} changed it.', {
          one: file.in_head ? sides.base : sides.head,
          other: file.in_head ? sides.head : sides.base,
        })
  if (!mayEdit || !file.resolvable) return <p class="diff-note">{why}</p>
  return (
    <div class="conflict">
      <FieldSet legend={why}>
        {(['head', 'base'] as const).map((side) => (
          <Radio
            name={`take-${name}`}
            value={side}
            label={label(side)}
            checked={chosen === side}
            required
          />
        ))}
      </FieldSet>
    </div>
  )
}

export const ConflictFileView = (props: FileProps) => {
  const { file } = props
  const names = fieldNames(file)
  const grammar = grammarOfPath(file.path)
  const parts = file.parts ?? []
  const count = names.conflicts.length
  let index = 0
  return (
    <section class="file conflict-file" aria-label={file.path}>
      <header class="file-head">
        <span class="file-facts">
          <Icon name="warning" />
          <span class="mono diff-name">
            <UntrustedName>{file.path}</UntrustedName>
          </span>
        </span>
        {count > 0 && (
          <Badge tone="wait">{tn('{count} conflict', '{count} conflicts', count)}</Badge>
        )}
      </header>
      {file.parts === null && <WholeFile {...props} />}
      {parts.map(({ merged, conflict }, at) => {
        if (conflict === null)
          return (
            <Merged
              text={merged ?? ''}
              grammar={grammar}
              isFirst={at === 0}
              isLast={at === parts.length - 1}
            />
          )
        const name = names.conflicts[index++] ?? ''
        const title = t('Conflict {index} of {count}', { index, count })
        return (
          <ConflictView
            {...props}
            conflict={conflict}
            name={name}
            title={title}
            grammar={grammar}
          />
        )
      })}
    </section>
  )
}
