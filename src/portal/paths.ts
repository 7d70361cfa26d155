/** The login page. */
export const LOGIN_PATH = '/accounts/login/';
/** The page to change the password. */
export const PASSWORD_PATH = '/accounts/password_change/';
/** The list of applications. */
export const APPLICATIONS_PATH = '/oauth2/applications/';
/** The page that admins and staff begin with. */
export const HOME_PATH = '/portal/';
/** The list of users. */
export const USERS_PATH = '/portal/users/';
