// A form that is one step of several sends itself as long as there is a next one. Without scripts its button does the same.
document.querySelector('form[data-goes-on]')?.requestSubmit();
