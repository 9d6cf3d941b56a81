// Types for the parts of the package that the tests use. The package contains none.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export type Configuration = {
    clients: readonly Record<string, unknown>[]
    claims: Record<string, readonly string[]>
    pkce: { required: () => boolean }
    cookies: { keys: readonly string[] }
    features: Record<string, { enabled: boolean }>
    interactions: { url: (context: unknown, interaction: { uid: string }) => string }
    findAccount: (
      context: unknown,
      id: string,
    ) => { accountId: string; claims: () => Record<string, unknown> } | undefined
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: Record<string, unknown> }>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: unknown,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>
    readonly Grant: new (options: {
      accountId: string
      clientId: string
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> }
  }
}
