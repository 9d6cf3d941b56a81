/** What a provider says about an error, out of the error objects of its interface. */
import { objectOf, textOf } from '#lib/json-value.ts'

export type ProviderError = { readonly message: string; readonly code: string | null }

/** The message is empty for a body that has none. */
export function readProviderError(body: string): ProviderError {
  try {
    const { error } = objectOf(JSON.parse(body))
    const { message, code } = objectOf(error)
    return { message: textOf(message) ?? textOf(error) ?? '', code: textOf(code) }
  } catch {
    return { message: '', code: null }
  }
}
