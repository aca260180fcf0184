//! Panics of application code end here, as values. Every call into an application goes through this module.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// The application panicked. Its message is on standard error, never in an answer.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Runs plain application code.
pub(crate) fn contain<T>(code: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        discard(payload);
        Panicked
    })
}

/// Makes and runs a future of the application; it is dropped inside as well.
pub(crate) async fn contain_async<T>(future: impl Future<Output = T> + Send) -> Result<T, Panicked> {
    let mut place = pin!(Some(future));
    let result = poll_fn(|context| match contain(|| place.as_mut().as_pin_mut().map(|future| future.poll(context))) {
        Ok(Some(poll)) => poll.map(Ok),
        Ok(None) => Poll::Ready(Err(Panicked)),
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await;
    let _ = contain(|| place.set(None));
    result
}

/// Drops a value of the application.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // A payload whose own drop panics is left behind.
        std::mem::forget(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }

    #[test]
    fn panics_of_code_and_of_drops_are_values() {
        assert!(contain(|| panic!("in code")).is_err());
        assert!(contain(|| std::panic::panic_any(PanicsWhenDropped)).is_err());
        discard(PanicsWhenDropped);
    }

    #[tokio::test]
    async fn a_future_may_panic_at_any_poll_and_when_it_is_dropped() {
        let result = contain_async(async {
            tokio::task::yield_now().await;
            panic!("at the second poll")
        })
        .await;
        assert!(matches!(result, Err::<(), _>(Panicked)));
        let result = contain_async(async {
            let _held = PanicsWhenDropped;
            1
        })
        .await;
        assert!(result.is_err(), "the drop ran inside the poll");
    }
}
