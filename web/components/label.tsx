import { tn } from '../text.ts'
import { hueOfName, labelColors, nearestHue } from '../palette.ts'

/** A label of a list. One without a colour gets the hue of its name. */
export interface LabelSummary {
  name: string
  color?: string | null
  description?: string | null
}

/**
 * The chip of a label: the nearest of the twelve readable hues, with the exact colour in the dot.
 */
export const Label = ({ label, href }: { label: LabelSummary; href?: string }) => {
  const color = label.color ?? labelColors[hueOfName(label.name)] ?? '8a8178'
  const inside = (
    <>
      <svg class="label-dot" viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
        <circle
          cx="4"
          cy="4"
          r="4"
          fill={/^#?[0-9a-f]{6}$/i.test(color) ? `#${color.replace('#', '')}` : undefined}
        />
      </svg>
      {label.name}
    </>
  )
  const classes = ['label', `hue-${nearestHue(color)}`]
  return href ? (
    <a class={classes} href={href} title={label.description}>
      {inside}
    </a>
  ) : (
    <span class={classes} title={label.description}>
      {inside}
    </span>
  )
}

/** `more` is the number of labels that are left out, and `moreHref` where all are. */
export const Labels = ({
  labels,
  more = 0,
  moreHref,
  href,
}: {
  labels: readonly LabelSummary[]
  more?: number
  moreHref?: string
  href?: (name: string) => string
}) =>
  labels.length === 0 ? null : (
    <span class="labels">
      {labels.map((label) => (
        <Label label={label} href={href?.(label.name)} />
      ))}
      {more > 0 &&
        (moreHref === undefined ? (
          <span class="muted small">{moreText(more)}</span>
        ) : (
          <a class="small" href={moreHref}>
            {moreText(more)}
          </a>
        ))}
    </span>
  )

const moreText = (more: number): string => tn('{count} more label', '{count} more labels', more)

/** The labels of one row of a list. */
export type RowLabels = { readonly labels: readonly LabelSummary[]; readonly more: number }

/** What the labels of a list may take of its page, and a label without its name and description. */
const MAX_LABELS_BYTES = 15_000
const LABEL_BYTES = 250

/**
 * The labels of the rows of a list. Where they are many their descriptions are left out, and where that
 * is not enough the last labels of each row.
 */
export function labelsOfRows(
  rows: readonly (readonly string[])[],
  known: ReadonlyMap<string, LabelSummary>,
  maxBytes = MAX_LABELS_BYTES,
): RowLabels[] {
  const described = (name: string): LabelSummary => known.get(name) ?? { name }
  const bytesOf = (shown: readonly string[][], withText: boolean): number =>
    shown.flat().reduce((sum, name) => {
      const text = withText ? (described(name).description ?? '') : ''
      return sum + LABEL_BYTES + 2 * Buffer.byteLength(name) + Buffer.byteLength(text)
    }, 0)
  let most = Math.max(0, ...rows.map((names) => names.length))
  const shown = () => rows.map((names) => names.slice(0, most))
  const hasTexts = bytesOf(shown(), true) <= maxBytes
  while (most > 1 && bytesOf(shown(), hasTexts) > maxBytes) most--
  return rows.map((names) => ({
    labels: names
      .slice(0, most)
      .map((name) => (hasTexts ? described(name) : { ...described(name), description: null })),
    more: Math.max(0, names.length - most),
  }))
}
