//! The console: pages for people, on a listener of their own. Whatever a page shows or does is a call that passes the gate
//! of the service, as the person who is signed in.

mod assets;
mod cookie;
mod desk;
mod fields;
mod foreign;
mod html;
mod layout;
mod names;
mod pages;
mod plot;
mod response;
mod routes;
mod sessions;
mod shown;
mod site;
mod state;

pub use state::{Console, Entrance, OneTimeAddress};
