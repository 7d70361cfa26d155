interface Cause {
  readonly title: string;
  /** What to do about it. */
  readonly cure: string;
}

const CAUSES: Readonly<Record<string, Cause>> = {
  dns: {
    title: 'Name not found',
    cure: "The host's name has no address, or more than 32. Look at its DNS entry, and at the spelling of the address.",
  },
  refused_address: {
    title: 'Address not allowed',
    cure: 'The name leads to a private or reserved address, which is never called. Give the host a public one.',
  },
  connect: {
    title: 'No connection',
    cure: 'Nobody answers at the address and port, or what answers is no HTTP. Look whether the endpoint runs and its firewall lets callers in.',
  },
  tls: {
    title: 'TLS failed',
    cure: 'The certificate has expired, is for another name, or its chain is not complete. Renew it, and send the intermediate certificates too.',
  },
  timeout: {
    title: 'Too slow',
    cure: 'No answer came within 5 seconds. Answer at once and do the work afterwards.',
  },
  redirect: {
    title: 'Redirected',
    cure: 'Redirects are not followed. Create a webhook for the address at which the endpoint really is.',
  },
  secret: {
    title: 'Not signed',
    cure: 'The server cannot read the signing secret. Replace the secret, or ask the operator for the lost encryption key.',
  },
};

/** A cause by the class of its error and the status of the answer, with what cures it. */
export function describeCause(errorClass: string, status: number | null): Cause {
  if (errorClass === 'status') return describeStatus(status);
  return CAUSES[errorClass] ?? { title: 'Failed', cure: 'Look at the attempts.' };
}

function describeStatus(status: number | null): Cause {
  const title = `Status ${String(status)}`;
  if (status === 401 || status === 403)
    return {
      title,
      cure: 'The endpoint refuses the call. It must ask for no login: the signature says who calls. Verify it with the current secret.',
    };
  if (status === 404 || status === 410)
    return { title, cure: 'Nothing is at this path. Create a webhook for the right address.' };
  if (status === 405 || status === 415)
    return { title, cure: 'The endpoint must take POST with a JSON body.' };
  if (status === 413)
    return { title, cure: 'The endpoint takes too short bodies. Messages have less than 1 KB.' };
  if (status === 429)
    return {
      title,
      cure: 'The endpoint limits calls. Raise its limit; a Retry-After makes the wait longer.',
    };
  if (status !== null && status >= 500)
    return { title, cure: "The endpoint's own error. Its log has the reason; redeliver once it works." };
  return { title, cure: 'Only a status from 200 to 299 accepts a message.' };
}
