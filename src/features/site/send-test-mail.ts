import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { deliverMail, EmailInput, readEmail, sayTo } from '#features/accounts/index.ts'
import { diagnoseMailError } from './diagnose-mail-error.ts'

/** Sends immediately, unlike other mail: the administrator waits for the result. */
export const sendTestMail = operation({
  name: 'send_test_mail',
  summary:
    'Send a test message and report what is wrong if it is not sent. For site administrators, people only.',
  route: null,
  access: siteAdmin({ writes: true }),
  input: Type.Object({ to: EmailInput }),
  output: Type.Object({
    sent: Type.Boolean(),
    detail: Type.String({ description: 'Where it went, or what went wrong.' }),
  }),

  handler: async ({ hearth, caller, write }, { to }) => {
    const { settings } = hearth
    const address = readEmail(to)
    const { host } = new URL(settings.site_url)
    const note = (sent: boolean) =>
      write((tx) =>
        tx.audit({
          action: 'site.mail_tested',
          target: { kind: 'site', id: 'site', name: settings.site_url },
          data: { sent },
        }),
      )
    const say = sayTo(hearth, address)
    try {
      await deliverMail(hearth, {
        to: address,
        kind: 'test',
        subject: say('A test message from {host}', { host }),
        text: say('{by} sent this from {url}\nto see whether mail leaves. It does.\n', {
          by: caller.username,
          url: settings.site_url,
        }),
      })
    } catch (error) {
      hearth.log.warn('the test message was not sent', { error })
      await note(false)
      return {
        sent: false,
        detail: diagnoseMailError(
          error,
          settings.mail === null ? 'the outbox' : new URL(settings.mail.url).host,
        ),
      }
    }
    await note(true)
    return {
      sent: true,
      detail:
        settings.mail === null
          ? `No mail server is set, so the message is a file in ${settings.data}/outbox.`
          : `${new URL(settings.mail.url).host} accepted the message for ${address}. Later servers decide whether it is delivered.`,
    }
  },
})
