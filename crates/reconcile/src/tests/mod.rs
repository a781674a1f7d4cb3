//! Behaviour of the rules as a whole, over an in-memory database.

mod brought;
mod database;
mod hold;
mod lists;
mod model;
mod people;
mod property;
mod repairs;
mod safety;
mod statements;
