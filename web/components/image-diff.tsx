// The two versions of an image, in three ways that radio buttons choose: side by side, swiped over
// each other, and blended. The script moves the edge of the swipe and the weight of the blend, which
// are in the middle without it.
import { bytesText } from '../format.ts'
import type { Html } from '../jsx/html.ts'
import { diffAnchor } from './diff-table.tsx'
import { localized, rich, t, texts } from '../text.ts'

/** One version. `size` is null when the dimensions are unknown. */
export type ImageSide = {
  readonly src: string
  readonly bytes: number
  readonly size: { readonly width: number; readonly height: number } | null
  /** More bytes than a page loads by itself. */
  readonly tooLarge: boolean
}

export type ChangedImage = { readonly before: ImageSide | null; readonly after: ImageSide | null }

const factsOf = ({ size, bytes }: ImageSide): string =>
  size === null ? bytesText(bytes) : `${size.width} × ${size.height} · ${bytesText(bytes)}`

const Picture = ({ side, alt }: { side: ImageSide; alt: string }) => (
  <img
    src={side.src}
    alt={alt}
    width={side.size?.width}
    height={side.size?.height}
    loading="lazy"
    decoding="async"
  />
)

const Version = ({ side, title, path }: { side: ImageSide; title: string; path: string }) => (
  <figure class="image-version">
    {side.tooLarge ? (
      <p class="muted">
        {rich('Too large to show here. <a>Open the image</a>', {
          a: (inner) => <a href={side.src}>{inner}</a>,
        })}
      </p>
    ) : (
      <Picture side={side} alt={`${title}: ${path}`} />
    )}
    <figcaption>
      <strong>{title}</strong> <span class="muted">{factsOf(side)}</span>
    </figcaption>
  </figure>
)

const MODES = localized([
  ['pair', 'Side by side'],
  ['swipe', 'Swipe'],
  ['onion', 'Onion skin'],
] as const)

/** Both versions in one place. `label` names what the slider moves. */
const Stack = (props: {
  mode: 'swipe' | 'onion'
  label: string
  before: ImageSide
  after: ImageSide
  path: string
}) => (
  <div class={`image-mode-${props.mode}`}>
    <div class="image-stack">
      <Picture side={props.after} alt={t('After: {path}', { path: props.path })} />
      <Picture side={props.before} alt={t('Before: {path}', { path: props.path })} />
    </div>
    <input
      class="js-only"
      type="range"
      min="0"
      max="100"
      value="50"
      aria-label={props.label}
      data-image-slider
    />
  </div>
)

const TITLES: Readonly<Record<string, string>> = texts({ added: 'Added', removed: 'Removed' })

type ImageDiffProps = { path: string; status: string; image: ChangedImage }

/** The versions of an image. One that was added or removed has one. */
export const ImageDiff = ({ path, status, image }: ImageDiffProps): Html | null => {
  const { before, after } = image
  if (before === null || after === null) {
    const side = before ?? after
    const title = TITLES[status] ?? (before === null ? t('After') : t('Before'))
    return (
      side && (
        <div class="image-diff">
          <div class="image-mode-pair">
            <Version side={side} title={title} path={path} />
          </div>
        </div>
      )
    )
  }
  const name = `image-${diffAnchor(path)}`
  const both = { before, after, path }
  return (
    <div class="image-diff">
      {!before.tooLarge && !after.tooLarge && (
        <fieldset class="image-modes">
          <legend class="unseen">{t('Comparison')}</legend>
          {MODES.map(([mode, label], index) => (
            <label>
              <input type="radio" name={name} value={mode} checked={index === 0} /> {label}
            </label>
          ))}
        </fieldset>
      )}
      <div class="image-mode-pair">
        <Version side={before} title={t('Before')} path={path} />
        <Version side={after} title={t('After')} path={path} />
      </div>
      {!before.tooLarge && !after.tooLarge && (
        <>
          <Stack mode="swipe" label={t('Edge between before and after')} {...both} />
          <Stack mode="onion" label={t('Weight of the version before')} {...both} />
        </>
      )}
    </div>
  )
}
