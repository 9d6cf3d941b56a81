// The twelve hues of labels and avatars. The style sheet has a class for each (`hue-0` to `hue-11`)
// with a readable pair of colours for both schemes, because the content security policy forbids
// inline styles. The nearest hue represents a chosen colour, and a small dot in SVG shows the exact
// one.
import { hashText } from './format.ts'

/** How many `hue-…` classes the style sheet has. */
export const HUES = 12

/** The colour of each hue in six hex digits, for labels without a chosen colour. */
export const labelColors = [
  'd1493f',
  'd9722a',
  'c99a1d',
  '8fa428',
  '4c9f4a',
  '2f9e83',
  '2f96ad',
  '3f7fd0',
  '6a6fd8',
  '9560cf',
  'c055a8',
  '8a8178',
] as const

const NEUTRAL = HUES - 1

interface Lab {
  l: number
  a: number
  b: number
}

const linear = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4

/** sRGB to OKLab (Björn Ottosson, "A perceptual color space for image processing", 2020). */
const toLab = (hex: string): Lab => {
  const value = Number.parseInt(hex, 16)
  const red = linear((value >> 16) / 255)
  const green = linear(((value >> 8) & 255) / 255)
  const blue = linear((value & 255) / 255)
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  }
}

const hueLabs = labelColors.map(toLab)

/**
 * The nearest hue to a colour of six hex digits, with or without `#`. Lightness does not count.
 * Nearly grey colours and invalid ones are neutral.
 */
export const nearestHue = (color: string): number => {
  const hex = color.replace(/^#/, '')
  if (!/^[0-9a-f]{6}$/i.test(hex)) return NEUTRAL
  const lab = toLab(hex)
  if (Math.hypot(lab.a, lab.b) < 0.035) return NEUTRAL
  const angle = Math.atan2(lab.b, lab.a)
  let best = NEUTRAL
  let least = Number.POSITIVE_INFINITY
  for (const [index, other] of hueLabs.entries()) {
    if (index === NEUTRAL) continue
    const distance = Math.abs(
      Math.atan2(
        Math.sin(angle - Math.atan2(other.b, other.a)),
        Math.cos(angle - Math.atan2(other.b, other.a)),
      ),
    )
    if (distance < least) {
      least = distance
      best = index
    }
  }
  return best
}

/** The hue for a name: an initial of an avatar, a label without a colour. */
export const hueOfName = (name: string): number => hashText(name.toLowerCase()) % HUES
