import type { Request } from 'express';
import { computeEntityTag } from '../domain/api/entity-tags.ts';
import { Problem } from '../domain/api/problem.ts';
import { readFormField } from './forms.ts';

/** The version of an object that its form carries: what stands between the quotes of its entity tag. */
export function versionOf(object: object): string {
  return computeEntityTag(JSON.stringify(object)).slice(1, -1);
}

/** The version that a form began with. A refused form carries it again: what was changed meanwhile is still to be told. */
export function readVersion(request: Request): string {
  return readFormField(request, 'version');
}

/** The header of an update from a form: it is refused when the object has changed since the form was shown. */
export function readPrecondition(request: Request): { readonly 'If-Match': string } {
  return { 'If-Match': `"${readVersion(request)}"` };
}

/** Whether an operation has refused that header: the object has changed since the form was shown. */
export function isStaleError(error: unknown): boolean {
  return error instanceof Problem && error.code === 'precondition_failed';
}
