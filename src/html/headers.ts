import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * The headers that keep browsers from doing more with a page than it needs. No script at all: every form works without
 * one. `data:` images are the stylesheet's small drawings. Every answer has Strict-Transport-Security already where the
 * service's address is `https`.
 */
export const setSecurityHeaders: RequestHandler = createSecurityHeaders({});

/** The same for the pages behind the login, which copy ids, draw charts and look whether something has changed by scripts of their own. */
export const setPortalHeaders: RequestHandler = createSecurityHeaders({
  scriptSrc: ["'self'"],
  connectSrc: ["'self'"],
});

/** The same for the pages of the reference, which look through their own list by a script of their own. */
export const setReferenceHeaders: RequestHandler = createSecurityHeaders({
  scriptSrc: ["'self'"],
  connectSrc: ["'self'"],
});

/** Forbids caches to keep the answer (RFC 9111, 5.2.2.5). */
export const disableCaching: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

function createSecurityHeaders(more: Readonly<Record<string, string[]>>): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        ...more,
      },
    },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
  });
}
