/** Marks text of others in prompts, so that a model can tell it from its instructions. */
import { hmacSha256 } from './hash.ts'

/** Text between marks that it cannot imitate. `key` is known to nobody who wrote the text. */
export function asData(key: string, from: string, text: string): string {
  const mark = Buffer.from(hmacSha256(key, from)).toString('hex').slice(0, 12)
  return `<data-${mark} from="${from}">\n${text.replaceAll(mark, '')}\n</data-${mark}>`
}

const SECTION = /<data-([0-9a-f]{12}) from="[^"\n]*">\n([\s\S]*?)\n<\/data-\1>/g

/** Where the texts between marks are, without their marks. */
export const dataSections = (text: string): { from: number; to: number }[] =>
  [...text.matchAll(SECTION)].map((found) => {
    const to = found.index + found[0].length - `\n</data-${found[1]}>`.length
    return { from: to - (found[2] ?? '').length, to }
  })
