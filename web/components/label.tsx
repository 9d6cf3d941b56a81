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

export const Labels = ({
  labels,
  href,
}: {
  labels: readonly LabelSummary[]
  href?: (name: string) => string
}) =>
  labels.length === 0 ? null : (
    <span class="labels">
      {labels.map((label) => (
        <Label label={label} href={href?.(label.name)} />
      ))}
    </span>
  )
