/**
 * The beginning of a body, in UTF-8, for the message of an answer that is an error. The rest is not
 * read. A body that fails gives what came of it: the status of the answer is the failure to tell.
 */
export async function readBeginning(
  body: ReadableStream<Uint8Array>,
  maxChars: number,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of body) {
      text += decoder.decode(part.subarray(0, 4 * maxChars), { stream: true })
      if (text.length >= maxChars) break
    }
  } catch {
    // What came is enough.
  }
  return text.slice(0, maxChars)
}
