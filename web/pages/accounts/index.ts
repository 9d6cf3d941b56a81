/** Pages of accounts: sign-in, registration, settings of a user, applications and devices. */
import type { SiteSection } from '../../site.ts'
import { appearanceForm, appearancePage } from './appearance.tsx'
import { applicationsPage, revokeApplicationForm } from './applications.tsx'
import { authorizeForm, authorizePage } from './authorize.tsx'
import { deviceForm, devicePage } from './device.tsx'
import {
  addEmailForm,
  emailPrivacyForm,
  emailsPage,
  passwordLinkForm,
  removeEmailForm,
  useEmailsForm,
} from './emails.tsx'
import { createInviteForm, invitesPage, revokeInviteForm } from './invites.tsx'
import { addKeyForm, keysPage, removeKeyForm } from './keys.tsx'
import { profileForm, profilePage, settingsPage } from './profile.tsx'
import {
  confirmForm,
  confirmPage,
  registerForm,
  registerPage,
  registeredPage,
  resendForm,
  setupForm,
  setupPage,
} from './register.tsx'
import {
  addPasskeyForm,
  changePasswordForm,
  recoveryForm,
  removePasskeyForm,
  removeTwoFactorForm,
  securityPage,
  unlinkForm,
} from './security.tsx'
import { endOtherSessionsForm, endSessionForm, sessionsPage } from './sessions.tsx'
import {
  forgotForm,
  forgotPage,
  passkeySignInForm,
  resetForm,
  resetPage,
  signInForm,
  signInPage,
  signOutForm,
} from './sign-in.tsx'
import { finishSignOnPage, linkProviderForm, startSignOnPage } from './sign-on.tsx'
import { createTokenForm, revokeTokenForm, tokensPage } from './tokens.tsx'
import { enableTwoFactorForm, startTwoFactorForm, twoFactorPage } from './two-factor.tsx'

export const accounts: SiteSection = {
  pages: [
    setupPage,
    registerPage,
    registeredPage,
    confirmPage,
    signInPage,
    forgotPage,
    resetPage,
    startSignOnPage,
    finishSignOnPage,
    settingsPage,
    profilePage,
    appearancePage,
    emailsPage,
    securityPage,
    twoFactorPage,
    sessionsPage,
    tokensPage,
    keysPage,
    applicationsPage,
    authorizePage,
    devicePage,
    invitesPage,
  ],
  forms: [
    setupForm,
    registerForm,
    confirmForm,
    resendForm,
    signInForm,
    signOutForm,
    forgotForm,
    resetForm,
    passkeySignInForm,
    linkProviderForm,
    profileForm,
    appearanceForm,
    addEmailForm,
    removeEmailForm,
    useEmailsForm,
    emailPrivacyForm,
    passwordLinkForm,
    changePasswordForm,
    removeTwoFactorForm,
    recoveryForm,
    addPasskeyForm,
    removePasskeyForm,
    unlinkForm,
    startTwoFactorForm,
    enableTwoFactorForm,
    endSessionForm,
    endOtherSessionsForm,
    createTokenForm,
    revokeTokenForm,
    addKeyForm,
    removeKeyForm,
    revokeApplicationForm,
    authorizeForm,
    deviceForm,
    createInviteForm,
    revokeInviteForm,
  ],
}
