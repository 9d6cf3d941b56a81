/** Marks text of others in prompts, so that a model can tell it from its instructions. */
import { hmacSha256 } from './hash.ts'

/** Text between marks that it cannot imitate. `key` is known to nobody who wrote the text. */
export function asData(key: string, from: string, text: string): string {
  const mark = Buffer.from(hmacSha256(key, from)).toString('hex').slice(0, 12)
  return `<data-${mark} from="${from}">\n${text.replaceAll(mark, '')}\n</data-${mark}>`
}
