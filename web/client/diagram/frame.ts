// Runs in the frame of a diagram, beside Mermaid: draws the source that the page sends, and answers
// with the height, or with the reason why it cannot.

type Mermaid = {
  initialize(options: Record<string, unknown>): void
  render(id: string, source: string): Promise<{ svg: string }>
}
type Order = { readonly source?: unknown; readonly dark?: unknown }

const MAX_SOURCE_LENGTH = 50_000
const MAX_EDGES = 500

const { mermaid } = globalThis as unknown as { mermaid: Mermaid }
const answer = (message: { height: number } | { error: string }): void =>
  parent.postMessage(message, '*')

const observer = new ResizeObserver(() =>
  answer({ height: document.documentElement.getBoundingClientRect().height }),
)

async function draw(source: string, dark: boolean): Promise<void> {
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light'
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    maxTextSize: MAX_SOURCE_LENGTH,
    maxEdges: MAX_EDGES,
    theme: dark ? 'dark' : 'default',
    fontFamily: 'system-ui, sans-serif',
  })
  const { svg } = await mermaid.render('diagram', source)
  document.body.innerHTML = svg
  observer.observe(document.documentElement)
}

addEventListener('message', ({ source: from, data }: MessageEvent<Order>) => {
  if (from !== parent || typeof data.source !== 'string') return
  draw(data.source, data.dark === true).catch((error: unknown) =>
    answer({ error: error instanceof Error ? error.message : String(error) }),
  )
})
