import type { Child } from '../jsx/html.ts'
import { Button, LinkButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { rich, t } from '../text.ts'

/**
 * A framed section. `flush` lets a list or a table reach the frame. `tone` marks a dangerous one.
 */
export const Card = (props: {
  title?: Child
  actions?: Child
  flush?: boolean
  tone?: 'bad'
  footer?: Child
  id?: string
  level?: 2 | 3
  children?: Child
}) => (
  <section
    class={['card', props.flush && 'card-flush', props.tone === 'bad' && 'card-bad']}
    id={props.id}
  >
    {(props.title !== undefined || props.actions !== undefined) && (
      <header class="card-head">
        {props.title !== undefined &&
          (props.level === 3 ? <h3>{props.title}</h3> : <h2>{props.title}</h2>)}
        {props.actions !== undefined && <div class="actions">{props.actions}</div>}
      </header>
    )}
    <div class="card-body">{props.children}</div>
    {props.footer !== undefined && <footer class="card-foot">{props.footer}</footer>}
  </section>
)

/** An empty state: what belongs here and the first step. */
export const EmptyState = (props: {
  icon: IconName
  title: string
  children?: Child
  actions?: Child
}) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={props.icon} size={24} />
    </span>
    <p class="empty-title">{props.title}</p>
    {props.children !== undefined && <div class="empty-text">{props.children}</div>}
    {props.actions !== undefined && <div class="actions">{props.actions}</div>}
  </div>
)

/**
 * The content of an error page, inside a Layout. Administrators find the error by the request id.
 */
export const ErrorPage = (props: {
  status: number
  title: string
  children?: Child
  requestId?: string | null
  actions?: Child
}) => (
  <div class="error-page">
    <p class="error-status" aria-hidden="true">
      {props.status}
    </p>
    <h1>{props.title}</h1>
    <div class="empty-text">{props.children}</div>
    <div class="actions">
      {props.actions || (
        <>
          <LinkButton href="/" variant="primary">
            {t('Go to the start')}
          </LinkButton>
          <LinkButton href="/explore">{t('Explore')}</LinkButton>
        </>
      )}
    </div>
    {props.requestId && (
      <p class="muted small">
        {rich('Request {requestId}', { requestId: <code>{props.requestId}</code> })}
      </p>
    )}
  </div>
)

/** A text with a button to copy it. It can be selected without the browser script. */
export const CopyField = (props: {
  label: string
  value: string
  id: string
  hideLabel?: boolean
}) => (
  <div class="copy-field">
    <label for={props.id} class={props.hideLabel ? 'unseen' : undefined}>
      {props.label}
    </label>
    <div class="copy-row">
      <input
        type="text"
        class="input mono"
        id={props.id}
        value={props.value}
        readonly
        spellcheck="false"
      />
      <Button
        copyFrom={props.id}
        icon="copy"
        label={t('Copy {label}', { label: props.label.toLowerCase() })}
      />
    </div>
  </div>
)

/** A secret that is shown once. */
export const TokenSecret = ({ secret, children }: { secret: string; children?: Child }) => (
  <div class="secret">
    <p class="secret-title">
      <Icon name="key" /> {t('Copy this now. It is not shown again.')}
    </p>
    <div class="copy-row">
      <code id="token-secret" class="secret-value">
        {secret}
      </code>
      <Button copyFrom="token-secret" icon="copy" label={t('Copy the secret')} />
    </div>
    {children !== undefined && <div class="muted small">{children}</div>}
  </div>
)

/** Commands for a terminal, with a button to copy them. */
export const Commands = ({
  children,
  label = t('Copy the commands'),
}: {
  children: string
  label?: string
}) => (
  <div class="commands">
    <pre tabindex="0" role="group" aria-label={t('Commands')}>
      <code>{children}</code>
    </pre>
    <Button copy={children} icon="copy" label={label} small variant="quiet" />
  </div>
)

/** A key of the keyboard. */
export const Kbd = ({ children }: { children?: Child }) => <kbd>{children}</kbd>

/** Names and values in two columns. */
export const Facts = ({ facts }: { facts: readonly { label: string; value: Child }[] }) => (
  <dl class="facts">
    {facts.map((fact) => (
      <div>
        <dt>{fact.label}</dt>
        <dd>{fact.value}</dd>
      </div>
    ))}
  </dl>
)
