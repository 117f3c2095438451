// SPDX-License-Identifier: BSL-1.0
#pragma once

// The free functions of the library that a user may have functions of the same names as: see foreign_names.py.
#define STAGECUT_FOREIGN_NAMES(X)         \
  X(action_size)                          \
  X(add_crossing)                         \
  X(add_group)                            \
  X(add_groups)                           \
  X(add_item)                             \
  X(add_transfers)                        \
  X(added)                                \
  X(allowed_cut)                          \
  X(allows_cut)                           \
  X(any_need)                             \
  X(are_intervals)                        \
  X(as_bound)                             \
  X(as_chain)                             \
  X(as_computed)                          \
  X(as_one_chain)                         \
  X(assign_stages)                        \
  X(at_odds)                              \
  X(backward_first)                       \
  X(backward_of)                          \
  X(best_by_objective)                    \
  X(best_by_time)                         \
  X(best_stages_of)                       \
  X(blocked_on)                           \
  X(blocks_of)                            \
  X(bytes_allowed)                        \
  X(bytes_at)                             \
  X(bytes_of)                             \
  X(bytes_text)                           \
  X(can_be_kept)                          \
  X(can_issue)                            \
  X(can_stand_alone)                      \
  X(check)                                \
  X(check_axioms)                         \
  X(check_bytes)                          \
  X(check_chain)                          \
  X(check_chain_of_ranks)                 \
  X(check_choices)                        \
  X(check_constraint)                     \
  X(check_devices)                        \
  X(check_durations)                      \
  X(check_figures)                        \
  X(check_group)                          \
  X(check_groups)                         \
  X(check_in_flight)                      \
  X(check_items)                          \
  X(check_limits)                         \
  X(check_links)                          \
  X(check_makespan_request)               \
  X(check_memory)                         \
  X(check_microbatches)                   \
  X(check_numbers)                        \
  X(check_objective)                      \
  X(check_order)                          \
  X(check_pipeline_members)               \
  X(check_pipeline_model)                 \
  X(check_request)                        \
  X(check_run)                            \
  X(check_schedule)                       \
  X(check_schedule_shape)                 \
  X(check_shape)                          \
  X(check_speeds)                         \
  X(check_stages_request)                 \
  X(check_sum)                            \
  X(check_without_makespan)               \
  X(check_words)                          \
  X(checked_add)                          \
  X(chunks_of_stages)                     \
  X(chunks_shortage)                      \
  X(circle_of_edges)                      \
  X(code_point)                           \
  X(collect_cuts_within)                  \
  X(combinations)                         \
  X(compare_costs)                        \
  X(core_work)                            \
  X(costs)                                \
  X(crosses_ranks)                        \
  X(cycle_text)                           \
  X(deadlock_text)                        \
  X(describe)                             \
  X(describe_passes)                      \
  X(devices_of)                           \
  X(devices_text)                         \
  X(difference)                           \
  X(dropout_work)                         \
  X(dualpipev)                            \
  X(dualpipev_order)                      \
  X(duration_sum)                         \
  X(each_figure)                          \
  X(each_memory_change)                   \
  X(each_tie)                             \
  X(eager_one_forward_one_backward)       \
  X(edge_count)                           \
  X(edge_problem)                         \
  X(edges_of)                             \
  X(embedding_work)                       \
  X(empty_schedule)                       \
  X(end_of_reasons)                       \
  X(entry_of)                             \
  X(expanded)                             \
  X(fail)                                 \
  X(fail_overflow)                        \
  X(few_passes)                           \
  X(fill_from_both_ends)                  \
  X(find_fault)                           \
  X(find_name)                            \
  X(find_op)                              \
  X(find_optimizer)                       \
  X(find_parted_group)                    \
  X(find_schedule)                        \
  X(find_variant)                         \
  X(first_overflow)                       \
  X(floor_bytes)                          \
  X(for_intervals)                        \
  X(forbidden_item)                       \
  X(forbidden_reach)                      \
  X(free_program)                         \
  X(from_ordered_bits)                    \
  X(gallop)                               \
  X(given_order)                          \
  X(gpipe)                                \
  X(greatest)                             \
  X(grouped_schedule)                     \
  X(has_microbatch)                       \
  X(has_shape)                            \
  X(has_transfers)                        \
  X(head_activations)                     \
  X(head_parameters)                      \
  X(head_work)                            \
  X(heaviest_stage)                       \
  X(hopeless)                             \
  X(in_doubles)                           \
  X(in_flight_of)                         \
  X(in_flight_order)                      \
  X(in_quotes)                            \
  X(interleaved_one_forward_one_backward) \
  X(interleaved_zero_bubble)              \
  X(is_back)                              \
  X(is_bottleneck)                        \
  X(is_compute)                           \
  X(is_duration)                          \
  X(is_finite)                            \
  X(is_nan)                               \
  X(is_negative)                          \
  X(is_send)                              \
  X(is_short)                             \
  X(is_transfer)                          \
  X(is_visible)                           \
  X(item_place)                           \
  X(join_colocated)                       \
  X(join_graphs)                          \
  X(join_groups)                          \
  X(join_wanted)                          \
  X(joined)                               \
  X(layer_activations)                    \
  X(layer_blocks)                         \
  X(layer_parameters)                     \
  X(layer_seconds)                        \
  X(layer_text)                           \
  X(layer_work)                           \
  X(layers_of)                            \
  X(leads_down)                           \
  X(least_fullest)                        \
  X(least_that_fits)                      \
  X(let_in)                               \
  X(letting_in)                           \
  X(levelled)                             \
  X(limits_of)                            \
  X(links_of)                             \
  X(list_names)                           \
  X(load)                                 \
  X(longest_path)                         \
  X(loop_placement)                       \
  X(looped_bfs)                           \
  X(lower_to)                             \
  X(lower_transfers)                      \
  X(make_schedule)                        \
  X(makespan_obstacle)                    \
  X(may_keep_last)                        \
  X(may_limit_in_flight)                  \
  X(measured_costs)                       \
  X(memory_curve)                         \
  X(memory_of)                            \
  X(memory_shortage)                      \
  X(merge_backward)                       \
  X(message_bytes)                        \
  X(microbatches_in_flight)               \
  X(microbatches_kept)                    \
  X(missing_op)                           \
  X(most_held)                            \
  X(moves)                                \
  X(name_of)                              \
  X(named_schedule_of)                    \
  X(narrow)                               \
  X(nearest_end)                          \
  X(needs_more)                           \
  X(norm_parameters)                      \
  X(norm_work)                            \
  X(number_text)                          \
  X(objective_cut_of)                     \
  X(on_blocks)                            \
  X(one_and_one)                          \
  X(one_forward_one_backward)             \
  X(one_stage_a_rank)                     \
  X(op_problem)                           \
  X(op_text)                              \
  X(optimizer_name)                       \
  X(optional_members)                     \
  X(options_of)                           \
  X(order_fault)                          \
  X(order_problem)                        \
  X(ordered_bits)                         \
  X(other_end)                            \
  X(out_of_range)                         \
  X(output_of)                            \
  X(parameter_bytes)                      \
  X(parameters)                           \
  X(peer_problem)                         \
  X(place_of)                             \
  X(plan_makespan)                        \
  X(plan_of)                              \
  X(plan_stages)                          \
  X(predict)                              \
  X(prediction_obstacle)                  \
  X(price)                                \
  X(probe)                                \
  X(product)                              \
  X(profile)                              \
  X(reachable_cuts)                       \
  X(recomputes_apart)                     \
  X(refuse_layer)                         \
  X(refuse_length)                        \
  X(refuse_shape)                         \
  X(refuse_split)                         \
  X(refuse_sum)                           \
  X(refuse_unasked)                       \
  X(requested_kind)                       \
  X(rightmost_end)                        \
  X(rows_in_order)                        \
  X(runs)                                 \
  X(sapp_bubbles_of)                      \
  X(sapp_interleaved)                     \
  X(sapp_lost_messages)                   \
  X(sapp_sum)                             \
  X(scan_group)                           \
  X(scan_groups)                          \
  X(schedule_of)                          \
  X(schedule_of_request)                  \
  X(search_makespan)                      \
  X(seconds_now)                          \
  X(separable_begin)                      \
  X(separable_end)                        \
  X(shape_fault)                          \
  X(shape_obstacle)                       \
  X(sliced_one_forward_one_backward)      \
  X(sort)                                 \
  X(sort_part)                            \
  X(speeds_of_stages)                     \
  X(split_makespan)                       \
  X(stage_backward)                       \
  X(stage_backward_weight)                \
  X(stage_edges_of)                       \
  X(stage_forward)                        \
  X(stage_of_layers)                      \
  X(stage_shortage)                       \
  X(start_of)                             \
  X(steady_windows)                       \
  X(store)                                \
  X(sum_of)                               \
  X(table_parameters)                     \
  X(take_visible)                         \
  X(times_of)                             \
  X(to_string)                            \
  X(too_large)                            \
  X(too_large_block)                      \
  X(too_many_stages)                      \
  X(total_of)                             \
  X(total_program)                        \
  X(transfers_of)                         \
  X(uniform_cut)                          \
  X(uniform_cuts)                         \
  X(usual_choices)                        \
  X(usual_schedules)                      \
  X(utf8_size)                            \
  X(v_placement)                          \
  X(variant)                              \
  X(visible)                              \
  X(weighted_shares)                      \
  X(whole_bytes)                          \
  X(whole_number)                         \
  X(whole_ticks)                          \
  X(why_no_cut)                           \
  X(why_not)                              \
  X(word_parameters)                      \
  X(zb_h1)                                \
  X(zb_h2)                                \
  X(zbv)                                  \
  X(zero_bubble_by_hand)
X(action_size)
X(add_crossing)
X(add_group)
X(add_groups)
X(add_item)
X(add_transfers)
X(added)
X(allowed_cut)
X(allows_cut)
X(any_need)
X(are_intervals)
X(as_bound)
X(as_chain)
X(as_computed)
X(as_one_chain)
X(assign_stages)
X(at_odds)
X(backward_first)
X(backward_of)
X(best_by_objective)
X(best_by_time)
X(best_stages_of)
X(blocked_on)
X(blocks_of)
X(bytes_allowed)
X(bytes_at)
X(bytes_of)
X(bytes_text)
X(can_be_kept)
X(can_issue)
X(can_stand_alone)
X(check)
X(check_axioms)
X(check_bytes)
X(check_chain)
X(check_chain_of_ranks)
X(check_choices)
X(check_constraint)
X(check_devices)
X(check_durations)
X(check_figures)
X(check_group)
X(check_groups)
X(check_in_flight)
X(check_items)
X(check_limits)
X(check_links)
X(check_makespan_request)
X(check_memory)
X(check_microbatches)
X(check_numbers)
X(check_objective)
X(check_order)
X(check_pipeline_members)
X(check_pipeline_model)
X(check_request)
X(check_run)
X(check_schedule)
X(check_schedule_shape)
X(check_shape)
X(check_speeds)
X(check_stages_request)
X(check_sum)
X(check_words)
X(checked_add)
X(chunks_of_stages)
X(chunks_shortage)
X(circle_of_edges)
X(code_point)
X(collect_cuts_within)
X(combinations)
X(compare_costs)
X(core_work)
X(costs)
X(crosses_ranks)
X(cycle_text)
X(deadlock_text)
X(describe)
X(describe_passes)
X(devices_of)
X(devices_text)
X(difference)
X(dropout_work)
X(dualpipev)
X(dualpipev_order)
X(duration_sum)
X(each_figure)
X(each_memory_change)
X(each_tie)
X(eager_one_forward_one_backward)
X(edge_count)
X(edge_problem)
X(edges_of)
X(embedding_work)
X(empty_schedule)
X(end_of_reasons)
X(entry_of)
X(expanded)
X(fail)
X(fail_overflow)
X(few_passes)
X(fill_from_both_ends)
X(find_fault)
X(find_name)
X(find_op)
X(find_optimizer)
X(find_parted_group)
X(find_schedule)
X(find_variant)
X(first_overflow)
X(floor_bytes)
X(for_intervals)
X(forbidden_item)
X(forbidden_reach)
X(free_program)
X(from_ordered_bits)
X(gallop)
X(given_order)
X(gpipe)
X(greatest)
X(grouped_schedule)
X(has_microbatch)
X(has_shape)
X(has_transfers)
X(head_activations)
X(head_parameters)
X(head_work)
X(heaviest_stage)
X(hopeless)
X(in_doubles)
X(in_flight_of)
X(in_flight_order)
X(in_quotes)
X(interleaved_zero_bubble)
X(is_back)
X(is_bottleneck)
X(is_compute)
X(is_duration)
X(is_finite)
X(is_nan)
X(is_negative)
X(is_send)
X(is_short)
X(is_transfer)
X(is_visible)
X(item_place)
X(join_colocated)
X(join_graphs)
X(join_groups)
X(join_wanted)
X(joined)
X(layer_activations)
X(layer_blocks)
X(layer_parameters)
X(layer_seconds)
X(layer_text)
X(layer_work)
X(layers_of)
X(leads_down)
X(least_fullest)
X(least_that_fits)
X(let_in)
X(letting_in)
X(levelled)
X(limits_of)
X(links_of)
X(list_names)
X(load)
X(longest_path)
X(loop_placement)
X(looped_bfs)
X(lower_to)
X(lower_transfers)
X(make_schedule)
X(makespan_obstacle)
X(may_keep_last)
X(may_limit_in_flight)
X(measured_costs)
X(memory_curve)
X(memory_of)
X(memory_shortage)
X(merge_backward)
X(message_bytes)
X(microbatches_in_flight)
X(microbatches_kept)
X(missing_op)
X(most_held)
X(moves)
X(name_of)
X(named_schedule_of)
X(narrow)
X(nearest_end)
X(needs_more)
X(norm_parameters)
X(norm_work)
X(number_text)
X(objective_cut_of)
X(on_blocks)
X(one_and_one)
X(one_forward_one_backward)
X(one_stage_a_rank)
X(op_problem)
X(op_text)
X(optimizer_name)
X(optional_members)
X(options_of)
X(order_fault)
X(order_problem)
X(ordered_bits)
X(other_end)
X(out_of_range)
X(output_of)
X(parameter_bytes)
X(parameters)
X(peer_problem)
X(place_of)
X(plan_makespan)
X(plan_of)
X(plan_stages)
X(predict)
X(prediction_obstacle)
X(price)
X(probe)
X(product)
X(profile)
X(reachable_cuts)
X(recomputes_apart)
X(refuse_layer)
X(refuse_length)
X(refuse_shape)
X(refuse_split)
X(refuse_sum)
X(refuse_unasked)
X(requested_kind)
X(rightmost_end)
X(rows_in_order)
X(runs)
X(sapp_bubbles_of)
X(sapp_interleaved)
X(sapp_lost_messages)
X(sapp_sum)
X(scan_group)
X(scan_groups)
X(schedule_of)
X(schedule_of_request)
X(seconds_now)
X(separable_begin)
X(separable_end)
X(shape_fault)
X(shape_obstacle)
X(sliced_one_forward_one_backward)
X(sort)
X(sort_part)
X(speeds_of_stages)
X(split_makespan)
X(stage_backward)
X(stage_backward_weight)
X(stage_edges_of)
X(stage_forward)
X(stage_of_layers)
X(stage_shortage)
X(start_of)
X(steady_windows)
X(store)
X(sum_of)
X(table_parameters)
X(take_visible)
X(times_of)
X(to_string)
X(too_large)
X(too_large_block)
X(too_many_stages)
X(total_of)
X(total_program)
X(transfers_of)
X(uniform_cut)
X(uniform_cuts)
X(usual_choices)
X(usual_schedules)
X(utf8_size)
X(v_placement)
X(variant)
X(visible)
X(weighted_shares)
X(whole_bytes)
X(whole_number)
X(whole_ticks)
X(why_no_cut)
X(why_not)
X(word_parameters)
X(zb_h1)
X(zb_h2)
X(zbv)\
